import ctypes, itertools, sys
import numpy as np, jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
lib=ctypes.CDLL(sys.argv[1])
P=ctypes.c_void_p
F=ctypes.POINTER(ctypes.c_float); D=ctypes.POINTER(ctypes.c_double)
lib.probe_new.restype=P; lib.probe_new.argtypes=[ctypes.POINTER(ctypes.c_int),D,ctypes.c_char_p,ctypes.c_uint64]
for n,r,a in [("free",None,[]),("count",ctypes.c_size_t,[]),("weights",F,[]),("gradients",F,[]),("pack",None,[]),("vision",F,[]),("scent",F,[]),("act",ctypes.c_int,[ctypes.c_int]),("observe_last",None,[ctypes.c_int]),("reward",None,[ctypes.c_double]),("estimate",None,[]),("differentiate",ctypes.c_double,[ctypes.c_int]),("step",ctypes.c_double,[]),("values",D,[]),("advantages",D,[]),("targets",D,[]),("probabilities",D,[])]:
    f=getattr(lib,"probe_"+n); f.restype=r; f.argtypes=[P]+a
def arr(p,shape): return np.ctypeslib.as_array(p,shape=shape)
gelu=lambda x: jax.nn.gelu(x,approximate=True)
def unpack(o,w):
    parts={}; at=0
    def take(name,*shape):
        nonlocal at
        n=int(np.prod(shape)); parts[name]=w[at:at+n].reshape(shape); at+=n
    side=o["side"]; F_=0
    if side:
        take("c1w",3,3,o["colors"],16); take("c1b",16); take("c2w",2,2,16,16); take("c2b",16)
        s1=(side-3)//2+1; s2=s1-1
        take("vw",s2*s2*16,512); take("vb",512); F_+=512
    if o["scents"]:
        take("s1w",o["scents"],32); take("s1b",32); take("s2w",32,512); take("s2b",512); F_+=512
    F_+=o["moved"]; H=o["lstm"]
    take("lw",F_+H,4*H); take("lb",4*H); take("hw",(F_ if o["hf"] else 0)+H,o["actions"]+1); take("hb",o["actions"]+1)
    assert at==w.size
    return parts
def features(o,p,vision,scent,moved):
    act=jax.nn.relu if o["act"]==0 else gelu
    fs=[]
    if o["side"]:
        conv=lambda x,w,b,s: jax.lax.conv_general_dilated(x,w,(s,s),"VALID",dimension_numbers=("NHWC","HWIO","NHWC"))+b
        x=act(conv(vision,p["c1w"],p["c1b"],2)); x=act(conv(x,p["c2w"],p["c2b"],1)); fs.append(act(x.reshape(x.shape[0],-1)@p["vw"]+p["vb"]))
    if o["scents"]: fs.append(act(act(scent@p["s1w"]+p["s1b"])@p["s2w"]+p["s2b"]))
    if o["moved"]: fs.append((act(moved) if o["ma"] else moved)[:,None])
    return jnp.concatenate(fs,1)
def cell(o,p,x,h,c):
    H=o["lstm"]; z=jnp.concatenate([x,h],-1)@p["lw"]+p["lb"]
    i,g,f,u=z[...,:H],z[...,H:2*H],z[...,2*H:3*H],z[...,3*H:]
    s=jax.nn.sigmoid; c2=s(f)*c+s(i)*jnp.tanh(g); return s(u)*jnp.tanh(c2),c2
def heads(o,p,x,h,c):
    m=c if o["hc"] else h
    return (jnp.concatenate([x,m],-1) if o["hf"] else m)@p["hw"]+p["hb"]
def run(o,path,seed,k):
    R,A,H=o["rows"],o["actions"],o["lstm"]
    ints=[o["side"],o["colors"],o["scents"],A,H,o["act"],o["moved"],o["ma"],o["hf"],o["hc"],R,4,o["length"],o["ams"],o["norm"]]
    nums=[o["lr"],o["gn"],.99,o["lam"],o["clip"],o["vclip"],o["vw"],o["ew"],o["dw"],o["dc"]]
    m=lib.probe_new((ctypes.c_int*len(ints))(*ints),(ctypes.c_double*len(nums))(*nums),path,seed); assert m
    n=lib.probe_count(m); W=arr(lib.probe_weights(m),(n,)); G=arr(lib.probe_gradients(m),(n,))
    rng=np.random.default_rng(seed); W+=rng.normal(0,.02,n).astype(np.float32); lib.probe_pack(m)
    w0=W.astype(np.float64).copy()
    vis=rng.random((R+1,o["side"],o["side"],o["colors"]),dtype=np.float32) * (rng.random((R+1,o["side"],o["side"],1))<.2) if o["side"] else np.zeros((R+1,0))
    vis=vis.astype(np.float32)
    sc=rng.random((R+1,o["scents"]),dtype=np.float32); mv=rng.integers(0,2,R+1); rw=rng.normal(0,1,R)
    acts=[]
    for t in range(R+1):
        if o["side"]: arr(lib.probe_vision(m),vis[t].shape)[...]=vis[t]
        if o["scents"]: arr(lib.probe_scent(m),(o["scents"],))[...]=sc[t]
        if t==R: lib.probe_observe_last(m,int(mv[t])); break
        acts.append(lib.probe_act(m,int(mv[t]))); lib.probe_reward(m,float(rw[t]))
    lib.probe_estimate(m)
    acts=np.array(acts); X=(vis.astype(float),sc.astype(float),np.where(mv>0,1.,-1.))
    p=unpack(o,jnp.array(w0)); f=features(o,p,*X); h=c=jnp.zeros(H); hs=[];cs=[];outs=[]
    for t in range(R+1):
        hs.append(h);cs.append(c); h,c=cell(o,p,f[t],h,c); outs.append(heads(o,p,f[t],h,c))
    outs=jnp.stack(outs); hs=jnp.stack(hs)[:R]; cs=jnp.stack(cs)[:R]
    lp0=jax.nn.log_softmax(outs[:R,:A]); v=np.array(outs[:,A])
    adv=np.zeros(R);a=0.
    for t in reversed(range(R)):
        a=rw[t]+.99*v[t+1]-v[t]+.99*o["lam"]*a; adv[t]=a
    tgt=adv+v[:R]
    if o["norm"]: adv=(adv-adv.mean())/(adv.std()+1e-8)
    rel=lambda x,y: float(np.max(np.abs(np.asarray(x)-np.asarray(y)))/max(1e-12,np.max(np.abs(np.asarray(y)))))
    errs={"values":rel(arr(lib.probe_values(m),(R,)),v[:R]),"adv":rel(arr(lib.probe_advantages(m),(R,)),adv),"targets":rel(arr(lib.probe_targets(m),(R,)),tgt),"probs":rel(arr(lib.probe_probabilities(m),(R,A)),np.exp(lp0))}
    def loss(w):
        p=unpack(o,w); f=features(o,p,X[0][:R],X[1][:R],X[2][:R]); L=o["length"]
        ff=f.reshape(R//L,L,-1); h=hs.reshape(R//L,L,-1)[:,0]; c=cs.reshape(R//L,L,-1)[:,0]; os=[]
        for s in range(L):
            h,c=cell(o,p,ff[:,s],h,c); os.append(heads(o,p,ff[:,s],h,c))
        out=jnp.stack(os,1).reshape(R,-1); lp=jax.nn.log_softmax(out[:,:A]); vv=out[:,A]
        la=lp[jnp.arange(R),acts]-lp0[jnp.arange(R),acts]; r=jnp.exp(la)
        pol=-jnp.minimum(r*adv,jnp.clip(r,1-o["clip"],1+o["clip"])*adv).mean()
        vl=(vv-tgt)**2
        if o["vclip"]: vl=jnp.maximum(vl,(v[:R]+jnp.clip(vv-v[:R],-o["vclip"],o["vclip"])-tgt)**2)
        ent=-(jnp.exp(lp)*lp).sum(1).mean(); kl=(jnp.exp(lp0)*(lp0-lp)).sum(1).mean()
        tot=pol+o["vw"]*vl.mean()-o["ew"]*ent+o["dw"]*kl
        if o["dc"]: tot=tot+1000*jnp.maximum(kl-o["dc"],0)**2
        return tot
    vg=jax.jit(jax.value_and_grad(loss))
    m1=np.zeros(n);m2=np.zeros(n);mx=np.zeros(n)
    for it in range(k):
        G[...]=0
        l=lib.probe_differentiate(m,int(it==0)); g=G.astype(float).copy(); w=W.astype(float).copy()
        L,gr=vg(jnp.array(w)); gr=np.array(gr)
        errs[f"loss{it}"]=abs(l-float(L))/max(1e-9,abs(float(L))); errs[f"grad{it}"]=np.linalg.norm(g-gr)/np.linalg.norm(gr)
        # per layer
        pg,pr=unpack(o,g),unpack(o,gr)
        for name in pg:
            d=np.linalg.norm(pr[name]); 
            if d>1e-12: errs[f"g{it}.{name}"]=float(np.linalg.norm(pg[name]-pr[name])/d)
        norm=lib.probe_step(m); sg=min(1,o["gn"]/np.linalg.norm(g)) if o["gn"] else 1
        errs[f"norm{it}"]=abs(norm-np.linalg.norm(g))/np.linalg.norm(g)
        g=g*sg; m1=.9*m1+.1*g; m2=.999*m2+.001*g*g; mx=np.maximum(mx,m2)
        den=np.sqrt(mx if o["ams"] else m2)/np.sqrt(1-.999**(it+1))+1e-8
        wn=w-o["lr"]/(1-.9**(it+1))*m1/den
        errs[f"step{it}"]=float(np.linalg.norm(W-wn)/np.linalg.norm(wn-w))
    lib.probe_free(m)
    return errs
base=dict(side=7,colors=3,scents=3,actions=3,lstm=16,act=1,moved=1,ma=1,hf=1,hc=1,rows=32,length=1,ams=1,norm=0,lr=1e-2,gn=.5,lam=.9,clip=.1,vclip=.1,vw=.25,ew=.01,dw=1.,dc=.005)
fast=dict(base,act=0,moved=0,ma=0,hf=0,hc=0,length=8,ams=0,norm=1,lam=.95,clip=.2,vclip=0.,vw=.5,dw=0.,dc=0.)
cases={"authors":base,"authors vision":dict(base,scents=0,ma=0),"authors scent":dict(base,side=0,ma=0),"authors hidden":dict(base,hc=0),"no features":dict(base,hf=0),"fast":fast,"fast 32":dict(fast,length=32),"fast relu features":dict(fast,hf=1,moved=1),"odd":dict(base,side=9,colors=5,scents=2,actions=4,lstm=48,rows=20,length=5,hc=0),"big":dict(base,side=17,lstm=64,rows=64)}
worst=0
for name,o in cases.items():
    for path in (b"plain",b"avx2",b"avx512"):
        e=run(o,path,1,3)
        k=max(e,key=e.get); worst=max(worst,e[k])
        print(name,path.decode(),"worst",k,f"{e[k]:.2e}", "grad2",f"{e['grad2']:.1e}")
print("worst",worst)
