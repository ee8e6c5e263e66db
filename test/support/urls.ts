/**
 * URLs that hold a secret, which must not leave the page and stands between `<` and `>`, and URLs that hold none, of which not a
 * character changes. All values are made up. An entry is a query, a path that begins with `/` or `#`, or a whole URL.
 *
 * The first two lists are by the product whose documents they come from, and the rule of redaction was tuned to them. The others
 * were written by family, after standards and products, before the rule was looked at: every other entry is for tuning it; the
 * rest is held out, and tells how well it does.
 */
const TUNED_SECRET = `
## OAuth
cb?code=<SplxlOBeZQQYbYS6WxSbIA>&state=xyz cb?code=<e72e16c7e42f292c6912>&state=<f3b1c09a7d2e4b58>
cb?state=<Zm9vYmFyLTE3MDk4>&code=<4/0AX4XfWjL9nQ2xT0b3vYkQ>&scope=email%20profile
cb?code=<4%2F0AX4XfWjL9nQ2xT0b3vYkQ>&scope=openid cb?CODE=<M0ab92efe-b6fd-df08-87dc-2c6500a7f84d>
/cb#access_token=<2YotnFZFEjr1zCsicMWpAA>&token_type=bearer&expires_in=3600
#/cb?access_token=<2YotnFZFEjr1zCsicMWpAA>&page=2 #!/login?refresh_token=<tGzv3JOkF0XG5Qx2TlKWIA>
cb?client_id=s6BhdRkqt3&client_secret=<gX1fBat3bV> login?oauth_token=<hh5s93j4hdidpola>&oauth_verifier=x
t?client_assertion_type=urn:ietf:params:oauth:client-assertion-type:saml2-bearer&client_assertion=<PHNhbWxwOlJlc3BvbnNl>
device?device_code=<GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS> login?username=ann&password=<A3ddj3w>
files?Access-Token=<mF_9.B5f-4.1JqM> files?bearerToken=<mF_9.B5f-4.1JqM>
Authorization=<Basic%20czZCaGRSa3F0MzpnWDFmQmF0M2JW> auth=<Basic+czZCaGRSa3F0MzpnWDFmQmF0M2JW>
## OIDC
/cb#id_token=<eyJhbGciOiJub25lIn0.eyJzdWIiOiI3In0.>&state=<0kPq8vX2mL>
cb?session_state=<3f8a0c61-9b7e-4d25-a1c4-0e9d7b6f5a32>&code=<9d0b5c1e-7a2f-4e88-b3d6-51f0c7a9e240.3f8a0c61>
logout?id_token_hint=<eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl>&post_logout_redirect_uri=%2F
https://op.test/authorize?response_type=code&client_id=s6BhdRkqt3&nonce=<n-0S6_WzA2Mj8kQ>&login_hint=<jane%40mail.test>
https://op.test/authorize?request=<eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJzNiJ9.Zm9vYmFy>
/<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.dGhpcyBpcyBzaWduZWQ>/report
report?<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.dGhpcyBpcyBzaWduZWQ>
/report#<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.dGhpcyBpcyBzaWduZWQ>
report?view=<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.dGhpcyBpcyBzaWduZWQ>&page=2
report?next=%2Fa%3Fx%3D<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.dGhpcyBpcyBzaWduZWQ>
## SAML
https://sp.test/acs?SAMLResponse=<PHNhbWxwOlJlc3BvbnNlIElEPSJfOGU4ZGM1Zg%3D%3D>&RelayState=%2Fhome
https://idp.test/sso?SAMLRequest=<fZFfa8IwFMXfBb9DyXvaJtZ1BqsURRC2Mabbw95ivc5Am3TJrXPffmmLY3%2F>&SigAlg=rsa-sha256&Signature=<Nk7MGwCMH8LRtCxY3T%2Bq>
https://sp.test/acs?SAMLart=<AAQAAMFbLinlXaCM%2BFIxiDwGOLAy2T71gbpO7ZhNzAgEANlB90ECfpNEVLg%3D>
https://sp.test/acs?samlresponse=<PHNhbWxwOlJlc3BvbnNl>
https://sp.test/acs?RelayState=<c2Vzc2lvbjo3ZjNhOWI>&SAMLResponse=<PHNhbWxw>
## CAS
/?ticket=<ST-1856339-aA5Yuvrxzpv8Tau1cYQ7> /;jsessionid=<7F3A9B0C2D1E>?ticket=<ST-956-Lyg0BdLkgdrBO9W17bXS>
login?pgtId=<PGT-330-CSdUc5fCBz3g8KDDiSgO5osXfLMj9sRDAI0xDLg7jPn8gZaDqS> proxy?proxyTicket=<PT-957-ZuucXqTZ1YcJw81T3dxf>
https://cas.test/login?service=https%3A%2F%2Fapp.test%2F%3Fticket%3D<ST-1856339-aA5Yuvrxzpv8Tau1cYQ7>
/cas#/home?ticket=<ST-31-bcdEfg7hi2jkLMn3opq>
## Rails
users/password/edit?reset_password_token=<xJ3_kq8VtYp-Zw2N7mRd> users/confirmation?confirmation_token=<yZ8cPxgq1sTz9VbL>
users/invitation/accept?invitation_token=<hT5cB8sVxqPd>
account_activations/<hvQ9mKfBXzR8pYt2LwN6sA>/edit?email=<ann%40mail.test>
password_resets/<3BdBrXeQZSWqFIDRN8cxHA>/edit?email=<ann%40mail.test> users?user[reset_token]=<q7w8>&user[name]=Ann
users?user%5Bpassword%5D=<hunter2>&user%5Bpassword_confirmation%5D=<hunter2>
users?user[password_confirmation]=<hunter2>&page=1
form?utf8=%E2%9C%93&authenticity_token=<NrOp5bsjoLRuK8IW5%2BdQEYjKGUJDe7TQoZVvq95Wteg%3D>
users?token[]=<first1>&token[]=<second2> users?api_keys[0][secret]=<q7w8>
users?user[card_number]=<4111111111111111>&user[cvv]=<735> unsubscribe/<BAh7CEkiCGdpZAY6BkVUSSIsZ2lkOi8v>?list=news
## Django
/accounts/reset/MQ/<c4k8xz-0b7c2f1d9e3a4856b1c0d2e4f6a8b9c7>/ reset/Mg/<bx5f2k-7d3e0a1b9c8d4f6e2a5b>/?next=%2F
/accounts/confirm-email/<MQ:1pXk3c:9uZ0WqJ4nT8bYv2RkL>/ login/?sesame=<zxST9d0XT9xgfYLvoa9e2myN>
form?csrfmiddlewaretoken=<Xr3pQ9> /?sessionid=<q7w8e9r0t1y2u3i4o5p6> signup/?password1=<hunter2>&password2=<hunter2>
/accounts/activate/<ImFubkBtYWlsLnRlc3Qi:1rZq0d:b3kT9x>/
## Laravel
password/reset/<9f86d081884c7d659a2feaa0c55ad015>?email=<ann%40mail.test>
reset-password/<9f86d081884c7d659a2feaa0c55ad015>?email=<ann@mail.test>
email/verify/1/<da39a3ee5e6b4b0d3255bfef95601890>?expires=1700000000&signature=<2c26b46b68ffc68ff99b453c1d304134>
unsubscribe/1?expires=1700000000&signature=<2c26b46b68ffc68f> /?_token=<q1w2e3r4> /?XSRF-TOKEN=<eyJpdiI6IkFhIn0%3D>
/?laravel_session=<eyJpdiI6InJXa1R4Q2c0WEE5PSIsInZhbHVlIjoi> /?app_key=<base64:yUx8Kq3mZ0aR7tBnC2dL>
## Firebase
__/auth/action?mode=resetPassword&oobCode=<ABC123>&apiKey=<AIzaSyD3x9>&lang=en
__/auth/action?mode=signIn&oobCode=<hn5qIq1YKnZ9tQ0a7bXw>&continueUrl=https%3A%2F%2Fapp.test%2F%3Fcart%3D1234
/?link=https%3A%2F%2Fapp.test%2F__%2Fauth%2Faction%3FapiKey%3D<AIzaSyD3x9>%26oobCode%3D<hn5qIq1YKnZ9tQ0a7bXw>
/?link=https%253A%252F%252Fapp.test%252F%253FoobCode%253D<hn5qIq1YKnZ9tQ0a7bXw>
o/pic.png?alt=media&token=<5c1f9a2e-33b0-4d8e-9f7a-6e2b1c0d4a58> db.json?auth=<CwAAAj0k9vXlq7Hb2Zs8>
/?idToken=<ya29a0Af>&email=<ann%40mail.test>
## Supabase
auth/confirm?token_hash=<pkce_7d1f0b6c2a9e4835d0c1b2a3f4e5d6c7>&type=recovery&next=%2Faccount
auth/v1/verify?token=<48c1f0e9a7b3d2>&type=signup&redirect_to=https%3A%2F%2Fapp.test
#access_token=<eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYSJ9.c2ln>&expires_in=3600&refresh_token=<vWk3pQ9x>&type=recovery
#provider_token=<gho_a1B2>&provider_refresh_token=<ghr_c3D4> auth/callback?code=<0c3e1b7a-5f94-4e0d-8a2b-96d7c1f3e5b0>
rest?apikey=<sb_secret_N7UND0UgjKTVK> /?flow=pkce&otp=<493021>
## Auth0
cb?code=<Zq3yB8cVtn0K5xLwPm1R>&state=<hKFo2SBHaDZNQ1pqUHl0> lo/reset?ticket=<JbG7fR2nUq9cXoT4>#
u/login?state=<hKFo2SBMTWJyd1lJbXQ4b3Z5>&ui_locales=en
login?invitation=<Ua1r8QkX9vZp3nTd>&organization=org_1&organization_name=acme
passwordless/verify_redirect?verification_code=<8w4k2m1z9q>&email=<ann%40mail.test>&connection=email
cb?wa=1&wctx=2&mfa_token=<Fe26.2> authorize?login_hint=<ann.lee+work@mail.test> samlp?SAMLRequest=<nVLBTtwwEP0Vy>
## AWS
f.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20240101T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=<fe5f80f77d5fa3be>
f.pdf?x-amz-security-token=<IQoJb3JpZ2luX2VjE%2FF%2B>
v.mp4?Expires=1700000000&Signature=<nitfHRCrtziwO2HwPfWw~yYDhUF5EwRun>&Key-Pair-Id=K2JCJMDEHXQW5F
open?file=https%3A%2F%2Fb.s3.test%2Ff.pdf%3FX-Amz-Signature%3D<fe5f80f77d5fa3be>
open?file=https%253A%252F%252Fb.s3.test%252Ff.pdf%253FX-Amz-Signature%253D<fe5f80f77d5fa3be>
/?AWSSecretKey=<wJalrXUtnFEMI> /?secretAccessKey=<wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY>
/cognito#id_token=<eyJraWQiOiJhIn0.eyJzdWIiOiJiIn0.c2ln>&expires_in=3600 forgot?user=ann&confirmation_code=<k3Jx92Lm0q>
## Google Cloud
o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=<svc%40p.iam.gserviceaccount.com%2F20240101>&X-Goog-Signature=<247a2aa45f169edf>
o?GoogleAccessId=<svc@p.iam.gserviceaccount.com>&Expires=1700000000&Signature=<Rh1t6Y%2Bq3w%3D>
maps?key=<AIzaSyBq7x0K3mN9pLw2vTzR>&callback=initMap cdn?Expires=1700000000&KeyName=k1&Signature=<AbCdEf123>
cb?state=<security_token%3D138r5719ru3e1%26url%3Dhttps%3A%2F%2Fapp.test>&code=<4/P7q7W91a-oMsCeLvIaQm6bTrgtp7>
cb?access_token=<ya29.a0AfB_byC3>
## Azure
b.txt?sv=2022-11-02&st=2024-01-01T00%3A00%3A00Z&sr=b&sp=r&sig=<Z%2FRHIX5Xcg0Mq2rqI3OlWTjEg2tYkboXr1P9ZUXDtkk%3D>
b.txt?sig=<Z/RHIX5Xcg0Mq2rqI3OlWT==>&se=2030-01-01 api/fn?code=<aRVQ7Lj0vzDhY0JBYF8gpxYyEBxLwhO51JSC7X5dZFbTvROs7xNg==>
api?subscription-key=<0f1e2d3c4b5a69788796a5b4c3d2e1f0>
/cb#code=<0.AXkAs0BX9q.AgABAAIAAAD-DLA3VO7QrddgJg7Wevr>&state=12345&session_state=<7b3c9f1e-2a4d-4c8b-9e0f-5d6a7b8c9d0e>
hub?SharedAccessSignature=<sr%3Dns.test%26sig%3Dabc%26se%3D1>
/?accountKey=<Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq==>
## Stripe
thanks?payment_intent=pi_1&payment_intent_client_secret=<pi_3MtwBwLkdIwHu7ix_secret_YrKJUKribcBjcG8HVhfZluoGH>
thanks?session_id=<cs_test_a1b2c3d4e5f6> thanks?checkoutSessionId=<cs_live_z9>
connect?code=<ac_FkZ1a9Qx7rB3mT0w>&scope=read_write /?api_key=<sk_test_4eC39HqLyjW>
pay?card=<4242424242424242>&cvc=<314>&exp=12-34 pay?cardNumber=<4242%204242%204242%204242>&CVV=<314>
pay?iban=<DE89370400440532013000> pay?ssn=<000-00-0000>&name=ann
## Slack
slack?code=<4724469134.4644010092847.232b4e6d82c333b475fc30f5f5a3>&state=
/join/acme/shared_invite/<zt-1a2b3c4d-Xy7Zq9Lm~Kp0Rt> /z-app/magic/<acme-e1f2a3b4c5d6> slack?token=<xoxb-1-2-a>
slack?signing_secret=<8f742231b10e8888abcd99yyyzzz85a5> /confirm/<T0A1B2C3D4E5F6> /invite/<enQtNzg3MDU2Mjk1>
## Telegram
/?id=7&first_name=Ann&auth_date=1700000000&hash=<c501b71e775f74ce10e377dea85a7ea24ecd640b223ea86dfe453e0eaed2e2b2>
#tgWebAppData=query_id%3DAAH%26user%3D%257B%2522id%2522%253A7%257D%26hash%3D<c501b71e775f74ce10e377dea85a7ea2>&tgWebAppVersion=7.0
joinchat?invite=<AAAAAEx8hkQ2vR9zL> #tgAuthResult=<eyJpZCI6NywiaGFzaCI6ImM1MDFiNzFlIn0>
bot?bot_token=<110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw> passport?nonce=<Kz7pX0a9Qv3m>
## any site
https://<ann>:<pa55>@shop.test/a https://<ann>@shop.test/a?b=1 go?url=https://<ann>:<pa55>@host.test/
go?url=https%3A%2F%2F<ann>%3A<pa55>%40host.test%2F go?url=https%253A%252F%252F<ann>%253A<pa55>%2540host.test%252F
go?url=//<ann>:<pa55>@localhost:3000/ /go#ftp://<ann>:<pa55>@host.test/a login?pass=<hunter2> login?pwd=<hunter2>&a=1
login?userPwd=<hunter2> login?dbPass=<hunter2> login?PASSWORD=<hunter2>
login?newPassword=<hunter2>&new-password=<hunter3> login?passphrase=<correct-horse> login?user.password=<hunter2>
/?data=%7B%22user%22%3A%7B%22password%22%3A%22<hunter2>%22%7D%7D /?filter={%22accessToken%22:%22<q7w8>%22}
/?filter=%257B%2522token%2522%253A%2522<q7w8>%2522%257D
/?q=%7B%22a%22%3A1%2C%22b%22%3A2%2C%22c%22%3A3%2C%22d%22%3A4%2C%22secret%22%3A%22<q7w8>%22%7D
/?data=<eyJ1c2VyIjoiYW5uIiwicGFzcyI6IngifQ%3D%3D> /profile/<ann@mail.test> /profile/<ann%40mail.test>/orders
/?q=<ann.lee@163.com> /?<ann@mail.test> #<ann@mail.co.uk> unsubscribe?e=<ann%2540mail.test>
/a;v=1;jsessionid=<7F3A9B>/b?c=1 PHPSESSID=<k2j3h4> a.aspx?ASP.NET_SessionId=<k2j3h4> b=1;token=<q7w8>
b=1&amp;token=<q7w8> next=%2Freset%2F<8f14e45fceea167a> next=/invite/<a1B2c3D4e5>&x=1 invite?<a1B2c3D4e5f6>
/magic#<a1B2c3D4e5f6> unsubscribe?id=<8f14e45fceea167a> #/reset-password/<8f14e45fceea167a>
/verify-email/<8f14e45fceea167a> /magic-link/<8f14e45fceea167a>/x /activate/<Xy7kQ2mZ9p>
/confirm/<550e8400-e29b-41d4-a716-446655440000> hmac=<1a2b>&shop=acme pin=<8k2m4x9z1q> sid=<q8w7e6r5t4y3>
t=<1f3a5c7e9b0d> activation_key=<1f3a5c7e9b0d> inviteCode=<X7K2P9QD4M> X-Api-Key=<q7w8> tok%65n=<q7w8> token=<q7%26w8>
token=<q7/w8+e9==>&page=2 token=<%zz%E0%A4>
`;

const TUNED_HARMLESS = `
## OAuth
https://op.test/authorize?response_type=code&client_id=s6BhdRkqt3&redirect_uri=https%3A%2F%2Fapp.test%2Fcb&scope=openid%20profile
cb?error=access_denied&error_description=The+user+denied+the+request
cb?error=invalid_request&error_uri=https%3A%2F%2Fapp.test%2Fdocs%2Ferrors
cb?grant_type=authorization_code&token_type=bearer&expires_in=3600 /cb#error=temporarily_unavailable&state=CA
https://op.test/authorize?response_type=token&response_mode=form_post&prompt=login /oauth/authorize
/docs/oauth2/refresh-token /docs#access-token
## OIDC
https://op.test/authorize?display=page&max_age=3600&ui_locales=fr-CA&acr_values=loa2&claims_locales=en
https://op.test/authorize?response_type=id_token%20token&response_mode=fragment /.well-known/openid-configuration
userinfo?schema=openid login_hint=ann token_endpoint_auth_method=none
## SAML
https://sp.test/metadata?entityID=https%3A%2F%2Fidp.test%2Fmetadata&binding=post
https://sp.test/acs?SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256
https://sp.test/acs?RelayState=%2Fhome%2Fnews https://sp.test/saml/login?idp=acme
## CAS
https://cas.test/login?service=https%3A%2F%2Fapp.test%2Fhome&renew=true https://cas.test/logout?gateway=true
tickets/1856339?ticket=1856339 /?ticket=JIRA-1234 /?tickets=2&ticket_type=adult
## Rails
/users/password/new users?user[name]=Ann&user[role]=admin&ids[]=1&ids[]=2
posts?utf8=%E2%9C%93&commit=Search&q%5Btitle_cont%5D=token posts?sort_key=created_at&direction=desc&page=2
sessions/new?return_to=%2Fposts%3Fpage%3D2 /rails/active_storage/blobs/photo.png /account_activations
/password_resets/new users/confirmation/new?locale=de
## Django
/accounts/reset/done/ /accounts/password_reset/done/ /accounts/reset/MQ/set-password/
admin/auth/user/?is_staff__exact=1&o=-2.1 admin/login/?next=/admin/auth/user/12/change/
/blog/2024/05/17/tokenize-your-data/ /accounts/activate/complete/
## Laravel
/email/verify verify/email?resent=1 /password/reset
posts?filter[author]=ann&filter[state]=published&include=comments&sort=-created_at /email/verify/1
horizon/failed?tag=reset
## Firebase
__/auth/action?mode=resetPassword&lang=en __/auth/handler?providerId=google.com&authType=signInViaPopup
/?continueUrl=https%3A%2F%2Fapp.test%2Fcart%3Fid%3D1234 /?apn=com.app.android&ibi=com.app.ios&isi=12345&efr=1
/?orderBy=%22state%22&startAt=%22CA%22&limitToFirst=10
## Supabase
auth/confirm?type=recovery&next=%2Faccount
/?error=server_error&error_code=otp_expired&error_description=Email+link+is+invalid
rest/v1/todos?select=id,task&state=eq.open&order=created_at.desc #error=access_denied&error_code=403
#message=Confirmation+link+accepted
## Auth0
login?screen_hint=signup&connection=google-oauth2&prompt=login logout?returnTo=https%3A%2F%2Fapp.test&client_id=kX3j9Qp2
login?organization=org_7Xk2mQ&organization_name=acme /u/reset-password/request/Username-Database
mfa?acr=multi-factor&otp=sms
## AWS
console?region=us-east-1&bucket=b1&prefix=a%2Fb s3?list-type=2&key-marker=a.png&max-keys=50&encoding-type=url
s3?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20240101T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host
db?sort_key=SK%23ORDER&partition_key=USER&table=t1 s3?key=photos%2F2024%2Fbeach.jpg
login?response_type=code&client_id=4j3k2&identity_provider=Google
## Google Cloud
console?project=my-project-123456&authuser=1&hl=en /maps/@52.5200,13.4050,15z/data=!3m1!4b1
search?q=token&hl=en&gl=us&start=10 o?alt=media&prettyPrint=false&fields=items(id,name)
land?gclid=Cj0KCQjw8e3BhC9ARIsABzHs4aR2Q8xKv7Tn0Yp9LmZ3&gad_source=1
land?utm_source=google&utm_medium=cpc&utm_campaign=spring2024sale&utm_content=ad1b2c3&utm_term=password+manager
land?gbraid=0AAAAAD9x7k2Q1Zr8&wbraid=CjgKCAiA1b2c3 land?_ga=2.1234.5678-910.1112&_gl=1*a1b2c3*_ga*NDU2
## Azure
/?tenant=72f988bf-86f1-41af-91ab-2d7cd011db47&feature=x b?sv=2022-11-02&sr=b&sp=r&se=2030-01-01T00%3A00%3A00Z
#blade/Microsoft_Azure_Billing/Overview /?api-version=2024-05-01&$filter=state%20eq%20'open'&$top=10
cb?error_codes=50011&error_subcode=cancel
## Stripe
thanks?redirect_status=succeeded&payment_intent=pi_3MtwBwLkdIwHu7ix28a3tqPa
pricing?plan=price_1MowQVLkdIwHu7ixeRlqHVzs&currency=eur cart?promo_code=SAVE10&coupon=SUMMER2024
cart?discount_code=WELCOME-10&gift=1 pay?card_type=visa&cardholder=yes&payment_method=card
customers?starting_after=cus_9s6XKzkNRiz8i3&limit=3 thanks?product=550e8400-e29b-41d4-a716-446655440000 /tokenize
## Slack
/archives/C024BE7LR/p1700000000123456 apps?team=T024BE7LH&channel=C024BE7LR
slack/install?scope=commands,chat:write&user_scope=identity.basic /invite/friends /magic-login/acme
## Telegram
https://t.test/s/channel/1234?before=1200 https://t.test/share/url?url=https%3A%2F%2Fapp.test%2F&text=Look+at+this
https://t.test/botname?startgroup=true
https://t.test/#tgWebAppVersion=7.0&tgWebAppPlatform=ios&tgWebAppThemeParams=%7B%22bg_color%22%3A%22%23a1b2c3%22%7D
## any site
/ /reset reset?step=2 /reset/password /verify/phone /confirm-order /confirm/2024-01-31 /confirm-order/12345
/activate/windows-11-pro unsubscribe/newsletter?reason=too-many /unsubscribe/weekly-digest /invite/team-2024
/magic/the-gathering/modern-horizons-3 https://verify.shop.test/products/550e8400-e29b-41d4-a716-446655440000
/blog/how-to-reset-your-password /blog/why-we-verify-emails-in-2024 /products/550e8400-e29b-41d4-a716-446655440000
p/B08N5WRWNW?th=1 item?sku=AB12-CD34-EF56&variant=7f3a9b0c code=SUMMER code=SUMMER2024 code=404 state=CA
state=new-york&city=Albany zip_code=94107&country_code=US zipcode=K1A0B1&postcode=SW1A%201AA
error_code=E1001&status_code=200 barcode=4006381333931&qrcode=1&unicode=U%2B1F600
currency_code=EUR&lang_code=en-US&color_code=a1b2c3 key=C%23minor&bpm=120 key=value&keys=a,b&keyword=shoes
sort=price&sort_key=price_asc&group_key=brand monkey=1&turkey=2&hockey=3&keyboard=de&donkey=kong
session_name=keynote&session=2&sessions=4 session=keynote-2024&track=web signature_dish=ramen&signature_scent=rose
passenger=2&compass=n&passport=yes&bypass=1&passage=3 author=ann&authority=x&authors=3&authorized=1
postcard=1&wildcard=a&discard=2&cardinal=n&cards=3 tokens=3&token_type=bearer&tokenizer=bpe secretary=ann&secrets=2
password_hint=dog&password_strength=3 pin=board&pinned=1&shipping=2&spinner=on user=ann42&username=john_doe&user_id=1234
hash=blue&hashtag=summer2024&cash=1 data=weekly&metadata=none&update=1&database=x1 t=120&t2=1m30s t=1h2m3s
t=1700000000000&v=1.2.3&_=1700000000001 email=1&email_sent=yes&emails=weekly
utm_source=newsletter&utm_medium=email&utm_campaign=reset-password-2024
fbclid=IwAR2xK9mQ7vZ3pT1nB8sLcYd5fG0hJ4&msclkid=9f8e7d6c5b4a mc_cid=1a2b3c4d5e&mc_eid=5e4d3c2b1a&_hsenc=p2ANqtz-9x8y7z
cursor=eyJpZCI6MTAwLCJkaXIiOiJuZXh0In0&limit=20 after=Y3Vyc29yOnYyOpHOAAE4Vg&first=10&page_token_size=3
lat=52.5200&lng=13.4050&zoom=12&bbox=1.5,2.5,3.5,4.5 color=%23a1b2c3&bg=ff8800&size=10x20
from=2024-01-01&to=2024-12-31T23%3A59%3A59Z v=20240517b3&build=1a2b3c4&rev=e5f6a7b assets/app.3f2a1b9c.js?v=9c8b7a
/img/logo@2x.png /img/hero@1.5x.webp?url=//cdn@2x.png /@ann/posts/1 /?next=https://b.test/@ann /?next=%2F%40ann%2Fposts
/npm/react@18.2.0/umd/react.js /npm/@scope/pkg@1.0.0-beta.1/ /npm/debug@latest
search?state=S%C3%A3o%20Paulo&city=Ren%C3%A9e /presets/vintage-film-b2w /authors/kim-lee-92
/?order_state=shipped&real_estate=villa&ui_state=collapsed
/?course_code=CS101&flight_code=LH454&exit_code=1&dress_code=casual
/?tracking_code=summer-mail&voucher_code=GIFT50&promoCode=20OFF
/?auth=sso&auth_provider=google&magic=wand&verify=age&reset=filters
/?invite=team&activation=sigmoid&nonce=no&hash=top&sid=summer
/?filter={%22state%22:%22NY%22,%22id%22:%220f1e2d3c4b5a%22}
/?li_fat_id=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0&ref=a1b2c3d4 /?starting_after=obj_1a2b3c4d&page[cursor]=a1b2c3d4e5f6
/verify/identity/step-3 /confirm/2025-02-03/19-30 /subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
/token/0x1f9840a85d5af5bf1d1762f925bdaddc4201f984 /?q=forgot+password&page=2 /?q=access%20token%20expired
/?q=secret+code:+a+novel /?q=what+is+an+api+key%3F /?q=a%3Db&r=%22token%22
/?next=https%3A%2F%2Fb.test%2Fa%3Fpage%3D2%26sort%3Dprice
/?filter=%7B%22state%22%3A%22open%22%2C%22code%22%3A%22SUMMER%22%7D /a;v=1;color=red?b=1 #/users/42/edit?tab=keys
#how-to-sign-in /?token /caf%C3%A9?q=%E6%97%A5%E6%9C%AC#%F0%9F%98%80 /?token= /?broken=%zz%E0%A4%A&percent=100%
http://127.0.0.1:8080/a?b=1
`;

const SECRET = `
## WS-Federation: OASIS WS-Federation 1.2 §13
wa=wsignin1.0&wresult=<%3Ct%3ARequestSecurityTokenResponse%3E>
wresult=<PHQ6UmVxdWVzdFNlY3VyaXR5VG9rZW5SZXNwb25zZT4>&wctx=home
wa=wsignin1.0&wctx=<WsFedOwinState%3DAQAAANCMnd8BFdERjHoAwE>
wauth=x&wreq=<%3Ctrust%3ARequestSecurityToken%3E%3C%2Ftrust> wresultptr=<https%3A%2F%2Fidp.test%2Fr%2F8a7f3c0b1d>

## SAML: OASIS saml-bindings-2.0 §3.4, §3.6
SAMLResponse=<fVLBbtswDP0VQ3dbsuM0jhAnyFoMK9CtRtLusJsi0Z0wW9JEuevnz3FWtAOG>
SAMLRequest=<fVLJTsMwEP2VyHdnT2msJlUBIYpYIhI4cDPOpFhKPMHjFPh7QgrigMR1>
SAMLart=<AAQAADWNEw5VT47wcO4zX%2FiEzMmFQvGknDfws2ZtqSGdkNSbsW1cmVR0bzU>
SAMLEncoding=urn&Signature=<NMTjLL5BHgqrU7ZQT0qW>&SigAlg=rsa RelayState=<ss:mem:4a8b1f0c6d2e>
SigAlg=rsa-sha1&Signature=<f%2BhIcHiLgzCKbMqKf5g%3D>

## OAuth 2: RFC 6749, RFC 7521, RFC 7523, RFC 7636, RFC 8628, RFC 8693, RFC 9126
access_token=<2YotnFZFEjr1zCsicMWpAA>&expires_in=3600 refresh_token=<tGzv3JOkF0XG5Qx2TlKWIA>
code=<SplxlOBeZQQYbYS6WxSbIA>&state=xyz client_secret=<7Fjfp0ZBr1KtDRbnfVdmIw> client_assertion=<PHNhbWxwOl>
assertion=<eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0> code_verifier=<dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk>
device_code=<GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS> user_code=<WDJB-MJHT>
subject_token=<accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC> actor_token=<opaque17q>
request_uri=<urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c> username=johndoe&password=<A3ddj3w>

## OpenID: OpenID Connect Core, CIBA, OpenID4VP, OpenID4VCI, JARM, OpenID 2.0
id_token=<eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwO.ggW8h>
id_token_hint=<eyJraWQiOiIxZTlnZGs3IiwiYWxnIjoiUlMyNTYifQ.ewogImlz.ggW8>
logout_token=<eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ.c2ln> auth_req_id=<1c266114-a1be-4252-8ad1-04986c5b9ac1>
login_hint_token=<eyJraWQiOiJsdGFjZXNidyIsImFsZyI6IkVTMjU2In0.eyJzdWJfaWQ.MEUCI> vp_token=<eyJhbGciOiJFUzI1NiJ9>
pre-authorized_code=<oaKazRN8I0IbtZ0C7JuMn5> tx_code=<493536>
response=<eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwcyJ9.HkdJ> openid.sig=<Q4pVDrsUKDmdbmGwNUTqxYcfvhw>
openid.assoc_handle=<%7BHMAC-SHA1%7D%7B4a5b6c7d%7D%7BZm9v> openid.response_nonce=<2005-05-15T17:11:51ZUNIQUE9d>
registration_access_token=<this.is.an.access.token.value.ffx83>

## OAuth 1: RFC 5849 §2, §3
oauth_token=<hdk48Djdsa>&oauth_verifier=x oauth_verifier=<473f82d3kkw9>
oauth_signature=<tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D>&oauth_version=1.0 oauth_token_secret=<xyz4992k83j47x0b>
oauth_nonce=<7d8f3e4a0c1b>

## AWS: docs.aws.amazon.com: S3 query string authentication, CloudFront signed URLs, IAM, Cognito
X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=<aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404>
X-Amz-Security-Token=<FwoGZXIvYXdzEJr%2F%2F%2F%2F%2F>&X-Amz-Expires=900
X-Amz-Credential=<AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request>
AWSAccessKeyId=<AKIAIOSFODNN7EXAMPLE>&Expires=1141889120
Expires=1141889120&Signature=<vjbyPxybdZaNmGa%2ByT272YEAiv4%3D>
Policy=<eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cDovL2QxMTExMTFhYmNkZWY4>&Key-Pair-Id=K2JCJMDEHXQW5F
CloudFront-Policy=<eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoi> CloudFront-Signature=<dtKhpJ3aUYxqDIwepczPiDb9NXQ_>
SecretAccessKey=<wJalrXUtnFEMI%2FK7MDENG%2FbPxRfiCYEXAMPLEKEY> SessionToken=<AQoDYXdzEJr1K>&region=eu-west-1
SigninToken=<VCQgs5qZZt3Q6fn8Tr5E>&Action=login policy=<eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA>

## Google Cloud: cloud.google.com: signed URLs V4 and V2, Cloud CDN, Media CDN, API keys
X-Goog-Signature=<247a2aa45f169edf4d187d54e7cc46e4731b1e6273242c4f4c39a1d2507a0e58706e25e3a85a7dbb891d62>
X-Goog-Credential=<example%40example-project.iam.gserviceaccount.com%2F20181026%2Fauto%2Fstorage%2Fgoog4_request>
X-Goog-Security-Token=<ya29.c.b0Aaekm1K>
GoogleAccessId=<example@example-project.iam.gserviceaccount.com>&Expires=1458238630
Expires=1458238630&Signature=<VVUgfqviDCov%2B%2BKnmVOkwBR2olSbId51kSibuQeiH8ucGFyOfAVbH5J>
URLPrefix=aHR0cHM6Ly9tZWRp&KeyName=my-key&Signature=<YTVl9vqTGwoiChKNjkVVzg>
Edge-Cache-Token=<URLPrefix~Expires%3D1640~KeyName%3Dkey~Signature%3DNXzuhRXVVsIGPj>
hdnts=<exp%3D1640000000~hmac%3D77f2c1a06d> key=<AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe>&callback=initMap
upload_id=<ADPycds0kXhX2Lv9nBqT4w>&uploadType=resumable

## Azure: learn.microsoft.com: SAS, Functions keys, API Management, Event Grid, SignalR
sv=2022-11-02&sr=b&sig=<Z%2FRHIX5Xcg0Mq2rqI3OlWTjEg2tYkboXR1P9ZUXDtkk%3D>&se=2030-01-01
sr=hub&sig=<nJf1yq9hTqxP4bZ7%2BfA>&skn=RootManageSharedAccessKey api/hello?code=<aHk3-P2xQ9vLm_7TzRb0cN4>&name=Ann
subscription-key=<2f9d1c84ab7e4036> Ocp-Apim-Subscription-Key=<2f9d1c84ab7e4036>
aeg-sas-key=<VXbGWce53249Mt8wuotr0GPmyJ> SharedAccessSignature=<sr%3Dmyhub%26sig%3DnJf1yq9hTqx>
access_token=<eyJhbGciOiJIUzI1NiIs>&hub=chat AccountKey=<Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4>
code=<0.AXoAy3f9Kc1d2-E4fGhIjKl>&session_state=<7b29111d-c220-4d59-a51c-dba8e2f41b3c>
client_info=<eyJ1aWQiOiI3YjI5MTExZCJ9>&state=x

## Akamai, Cloudflare, Fastly, Cloudinary, imgix: their pages on token authentication and signed URLs
hdnea=<st%3D1700~exp%3D1800~acl%3D%2F*~hmac%3D1f3a5c7e> __token__=<exp%3D1800~hmac%3D1f3a5c7e9b>
verify=<1484063787-9JQB8vP1z0yc5DEBnH6JGWM3mBmvIeMrnnxFi3WtJLE%3D> /image/upload/s--<bmRyZXN3>--/sample.jpg
ixlib=js&s=<36dca1f8a04d3ed0b8f41f2e95b3c7d6> md5=<q1w2e3r4t5y6u7i8>&expires=1700000000

## Rails: guides.rubyonrails.org, Devise
authenticity_token=<J7CBxfHalt49OSHp27hblqK20c9PgwJ108nDHX> user[password_confirmation]=<hunter2>
reset_password_token=<zx8K_qPm-2vN> unlock_token=<F3x9-kQ2b_7Lm> /users/unlock/<aB3dE5fG7hJ9kL1m>
/rails/active_storage/blobs/redirect/<eyJfcmFpbHMiOnsibWVzc2FnZSI6IkJBaHBBdz09In19--f7d1>/x.png

## Django: docs.djangoproject.com: CSRF, sessions, password reset; django-allauth
csrfmiddlewaretoken=<hG5sK9q> csrftoken=<Qk2Lm8z1xC7v> sessionid=<7d1f0b6c2a9e4835>
/accounts/reset/MTI/<b5xk2p-3a8f1c6d9e0b7245>/ /accounts/confirm-email/<OA:1sB2cD:3eF4gH5iJ6>/
/accounts/password/reset/key/<3-c4d5e6f7a8b9c0d1>/

## Laravel, Symfony: laravel.com/docs, symfony.com/doc
_token=<vR7bK2pX9> laravel_session=<eyJpdiI6Ik5lS1BCTW9> form[_token]=<d6f7e8a9b0> _csrf_token=<c3b2a1f0>
/verify/email?expires=1700&signature=<9c2e4f6a8b0d>&token=<Zx81vQ> _hash=<sQ4mJ7r2Vk0b9W>&expires=1700000000

## Spring, Java servlets, JSF, Play: docs.spring.io, Servlet 6 §7.1.3, jakarta.faces, playframework.com
_csrf=<4bfd1575-3ad1-4d21-96c7-4ef2d9f86721> /shop/cart;jsessionid=<1A530637289A03B07199A44E8D531427>
/shop/cart;JSESSIONID=<node01x3f9k2m8q>.node0?item=4 javax.faces.ViewState=<-3851262937162548:90128374aB>
csrfToken=<a1b2c3-1700-d4e5f6> /login;jsessionid=<abcDEF0123456789.worker1>

## ASP.NET: learn.microsoft.com: cookieless sessions, antiforgery, Identity
/(S(<lit3py55t21z5v55vlm25s55>))/orders/list /(A(<aGq8Lx9f2b>)S(<w1x2y3z4a5b6c7d8>))/default.aspx
__RequestVerificationToken=<CfDJ8Nrae7> ASP.NET_SessionId=<q3w1e5r4t5y2> __VIEWSTATE=<%2FwEPDwUKMTY1NDU2MTA1MmRk>
/Identity/Account/ConfirmEmail?userId=5&code=<Q2ZESjhKc2R3OHFo> .AspNetCore.Identity.Application=<CfDJ8Kx2pQ>

## Express, Next, Nuxt: expressjs.com: session, csurf; next-auth.js.org
_csrf=<K8zXq2Lm-9vB0> connect.sid=<s%3Aj7k2L9m4N1p0.Qx8> next-auth.session-token=<eyJhbGciOiJkaXIi>
next-auth.csrf-token=<9f8e7d6c%7C5b4a> xsrf=<8f7a2b9c1d>

## Flask, FastAPI, Phoenix: flask-wtf, fastapi.tiangolo.com, hexdocs.pm/phoenix
csrf_token=<IjY5ZDQ2.Zk1x> session=<.eJwrSi0uyc8tAgAQ2gLz> _csrf_token=<E3cYAx0_OzAmHA> _app_key=<SFMyNTY.g3QAAAAB>
/users/log_in/<Zs3xV9q-7kL2m_bN8p> /users/confirm/<Zs3xV9q-7kL2m_bN8p>

## PHP, WordPress, Drupal, CodeIgniter, CakePHP, Magento, phpBB: php.net/session, developer.wordpress.org, api.drupal.org, their guides
PHPSESSID=<r2t5uvjq435r4q7ib3vtdjq120> _wpnonce=<a1b2c3d4e5> wp-login.php?action=rp&key=<nX9kQ2mZ7vB4cL1s>&login=ann
form_token=<xY1z> form_build_id=<form-3Qx9Zk2mV7bN> /user/reset/12/1700000000/<q8Zk3-xL0mN_v2b>/login
csrf_test_name=<5e6f7a8b9c0d> ci_session=<f0e1d2c3b4a59687> _csrfToken=<b7c8d9> form_key=<Zk3x9QmV7bN2>
/customer/account/createPassword/?id=5&token=<aB12> sid=<4f5e6d7c8b9a0123> wordpress_logged_in=<ann%7C1700%7Cq8Zk3>
CFID=1234&CFTOKEN=<98765432> wpEditToken=<7a6b5c%2B%5C> p_auth=<Kq2Xz9mV>

## one-time codes: WHATWG autocomplete one-time-code, RFC 4226, RFC 6238, Twilio Verify, Auth0 MFA, Firebase
otp=<493021> one-time-code=<493021> one_time_password=<493021> totp=<755224> hotp=<287082> mfa_code=<123456>
2fa_code=<123456> verification_code=<839201> verificationCode=<839201> sms_code=<4821> smsCode=<482193>
passcode=<739184> auth_code=<661204> security_code=<735221> backup_code=<12345-67890> recovery_code=<N7Q2PXK4>
oobCode=<ABC123xyz> otc=<904412> binding_code=<000000> authenticator_code=<612408> confirmation_code=<728193>
login_code=<5820> one_time_token=<x7>

## magic links and invitations: Auth0, Stytch, Magic, Clerk, Slack, Discourse, Ghost
/magic/<q7Zk3xL0mNv2b> __clerk_ticket=<eyJhbGciOiJSUzI1NiIs>
stytch_token_type=magic_links&token=<DOYoip3rvIMMW5lgItikFK> magic_credential=<WyIweDMxZjA3> /invites/<Kq3xZ9mV7b>
/join/<f8Q2xLm4Zk> /session/email-login/<0f1e2d3c4b5a69788796a5b4> /signup/confirm/<9f8e7d6c5b4a>
/password-reset/<550e8400-e29b-41d4-a716-446655440000> /reset_password/<5mZk2xQ8vL>
/unsubscribe/?uuid=<550e8400-e29b-41d4-a716-446655440000>&key=<0f9e8d7c6b5a> /recover/<x3Kq9ZmV7bN2>

## webhooks and bots in paths: api.slack.com, discord.com/developers, core.telegram.org/bots/api, Teams, Zapier, IFTTT, Mattermost, Google Chat, n8n
/services/T00000000/B00000000/<XXXXXXXXXXXXXXXXXXXXXXX4> /services/T024BE7LH/B04KQ2X9Z/<x7Kq2mZ9vL3bN8pR1tY5wQ0c>
/api/webhooks/1234567890123456/<68_aZq3-xL9mV2bN8pR1tY5wQ0cKd7fGhJ4s>
/api/v10/webhooks/112233445566778899/<aZq3xL9mV2bN8pR1tY5w>/slack
/bot<123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11>/getMe
/file/bot<110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw>/photo.jpg
/webhookb2/<a1b2c3d4-e5f6@72f988bf/IncomingWebhook/0f1e2d3c4b5a/9f8e7d> /hooks/catch/123456/<o9x2kq>/
/hooks/catch/7812345/<bq3x7zk>/ /trigger/door_opened/with/key/<dK3x9ZmQ7vL2bN8pR1tY>
/hooks/<xr3yjzkq4tbc8f5m7u9wd1o6ne> /v1/spaces/AAA/messages?key=<AIzaSyDdI0hCZtE6vySjMm>&token=<z3Kq%3D>
/webhook/<1c3e5a7b-9d8f-4b2a-8c6e-0f1d2b3a4c5e> /webhook-test/<1c3e5a7b-9d8f-4b2a-8c6e-0f1d2b3a4c5e>

## tokens known by their beginning: GitHub, GitLab, Slack, Stripe, SendGrid, npm, Google, OpenAI, Shopify: their pages on token formats
q=<ghp_16C7e42F292c6912E7710c838347Ae178B4a> a=<github_pat_11ABCDEFG0abcDEF123_xyz> x=<glpat-aBc1DeF2gHi3JkL4mNo5>
y=<xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy> z=<xapp-1-A012BCDE-3456789-abcdef0123>
b=<sk_live_4eC39HqLyjWDarjtT1zdp7dc> c=<rk_test_51H8xQ2mZ7vLbN3pR>
d=<SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmb> e=<npm_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz>
f=<sk-proj-aB3dE5fG7hJ9kL1mN2pQ> g=<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> h=<ya29.a0AfH6SMBx7kQ2mZ9>
i=<hvs.CAESIJ3kq9ZmV7bN2pR>

## abbreviations and kin: OWASP, GitHub secret scanning and detect-secrets: names that they look for
tok=<q7w8e9> user_tok=<q7w8e9> tkn=<q7w8e9> psw=<hunter2> pswd=<hunter2> pword=<hunter2> passwd=<hunter2>
pwd=<hunter2> pw=<hunter2> userpw=<hunter2> user_pass=<hunter2> dbpass=<hunter2>
passphrase=<correct-horse-battery-staple> creds=<ann:hunter2> credentials=<YW5uOmh1bnRlcjI> apikey=<q7w8>
api-key=<q7w8> x-api-token=<q7w8> appsecret=<q7w8> app_secret_proof=<9f8e7d6c5b4a> consumer_secret=<q7w8>
private_key=<MIIEvQIBADANBgkq> secret_key=<q7w8> access_key=<q7w8> encryption_key=<q7w8e9r0t1> jwt=<abc.def.ghi>
bearer=<mF_9.B5f-4.1JqM> auth_key=<q7w8e9r0t1> sess=<4f5e6d7c8b> session_key=<4f5e6d7c8b9a> sessid=<4f5e6d>
ssid=<4f5e6d7c8b9a> usersession=<4f5e6d7c8b9a>

## payment and person: PCI DSS 4 §3.3, ISO 13616, HL7, WHATWG autocomplete cc-number, cc-csc
cardnumber=<4242424242424242> cc-number=<4242424242424242> cc_num=<4242424242424242> ccnumber=<4111111111111111>
pan=<5555555555554444> cvv=<123> cvc=<123> cc-csc=<1234> card_cvc=<735> iban=<DE89370400440532013000>
ssn=<078-05-1120> social_security_number=<078-05-1120> cc-exp=12/30&card=<4000056655665556>
account_number=<000123456789>

## people: RFC 6068, and what log-in pages are given
email=<ann%40mail.test> to=<ann@mail.example> /users/<ann.lee@mail.example>/edit q=<ann@mail.example>
#/invite/<ann@mail.example> next=%2Fa%3Femail%3D<ann%2540mail.test> u=<ann+news@163.com>
`;

/** Nothing here is a secret: not a character changes. */
const HARMLESS = `
## everyday words: a name that is a secret elsewhere, before a plain word or a short number
pass=season pass=2 pass=day-pass pass=Weekend signature=gold signature=cocktails signature=1 otp=sms otp=email otp=1
card=visa card=3 card=gift secret=santa secret=garden sig=band token=eth token=usdc pin=board pin=1 key=major key=c
key=12 code=summer code=42 code=vip state=open state=california state=12 ticket=adult ticket=3 session=morning
session=2 hash=brown auth=required auth=1 user=ann user=42 data=weekly nonce=2 sid=vicious t=120 jwt=docs
bearer=bonds assertion=true credentials=mba access=free passcode=off pan=left pan=120 iban=what-is cvv=help sess=2
tok=pisin creds=yes verify=age code=SPRING signature=Chef pass=VIP card=Business

## names that end like a strong one: words of the dictionary, and names of public interfaces
compass=north bypass=1 underpass=a4 overpass=12 passenger=2 passport=yes trespass=no postcard=paris scorecard=12
flashcard=7 discard=1 wildcard=star monkey=12 turkey=2 hockey=1 keyboard=de donkey=1 barcode=4006381333931
postcode=SW1A1AA zipcode=94107 unicode=U1F600 decode=true encode=base64 country_code=US area_code=212
status_code=404 error_code=E1001 promo_code=SAVE10 coupon_code=WELCOME10 source_code=main dress_code=casual
estate=villa real_state=x order_state=shipped caliban=tempest taliban=history laptop=15inch tiktok=video
design=modern max_tokens=512 token_type=bearer tokenizer=bpe token_count=12 next_page_token_size=3 secretary=ann
secrets=2 signature_dish=ramen design_token=primary password_hint=dog password_strength=3 passwordless=true
session_name=keynote session_count=3 card_type=visa cardholder=yes pin_color=red pinned=1 shipping_pin=board
authors=3 author=kafka auth_provider=google hash_type=sha256 hashtag=summer2024 keyword=shoes sort_key=price
group_key=brand partition_key=region ssn_required=no ticket_type=adult tickets=4 cvv_help=1 ibanez=guitar
otp_length=6 otp_channel=sms mfa=on mfa_enabled=true email_verified=true code_challenge_method=S256
response_type=code credential_type=passkey

## at signs: handles, versions, pictures for dense screens, searches, ActivityPub and package addresses
/@ann /@ann/posts/12 /@ann@mastodon.social /users/@me /npm/react@18.2.0/umd/react.js /npm/@babel/core@7.24.0/lib
/npm/vue@next /img/logo@2x.png /img/logo@3x.webp /pkg@latest /gh/jquery/jquery@3.7.1/dist/jquery.min.js
/maps/@52.52,13.405,12z /channel/@TED /s/coffee@home q=meet@noon q=latte@starbucks q=%40ann q=5+apples+@+2+euros
q=who+is+@ann q=price@100 at=@home handle=@ann.lee user=@ann time=12@noon /actions/checkout@v4
/lib@1.0.0-beta.2/index.js /chat/%40ann twitter=@ann_lee

## identifiers: what products put into addresses: none grants anything
id=550e8400-e29b-41d4-a716-446655440000 /orders/550e8400-e29b-41d4-a716-446655440000 /dp/B08N5WRWNW v=dQw4w9WgXcQ
list=PLBCF2DAC6FFB574DE gclid=Cj0KCQjw8e3BhC9ARIsABzHs4aR2Q8xKv7Tn0Yp9LmZ3 fbclid=IwAR2xK9mQ7vZ3pT1nB8sLcYd5fG0hJ4
utm_campaign=spring2024b utm_id=a1b2c3d4 cursor=Y3Vyc29yOnYyOpHOAAE4Vg after=obj_1a2b3c4d
product=price_1MowQVLkdIwHu7ixeRlqHVzs ref=a1b2c3d4 sha=9fceb02d0ae598e95dc970b74767f19372d61af8
/commit/9fceb02d0ae598e95dc970b74767f19372d61af8 /blob/main/src/auth/token.ts /docs/webhooks/signatures
/docs/reset-password /services/web-design /services/consulting/2024 /hooks/react/use-state /bots/telegram
/bot/settings /webhooks/new /api/webhooks/list /trigger/guide /join/team /join/premium2024 /recover/account
/invite/friends /magic/the-gathering /verify/step2 /users/log_in /user/reset /session/new /(S)/size
/products/(sale)/item v=1.2.3 version=20240517b3 build=1a2b3c4 color=a1b2c3 size=10x20 date=2024-01-01T10:00:00Z
lat=52.52&lng=13.405 X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900 sv=2022-11-02&sr=b&sp=r
wa=wsignin1.0&wtrealm=urn:app:portal client_id=s6BhdRkqt3&redirect_uri=%2Fcb&scope=openid Key-Pair-Id=K2JCJMDEHXQW5F
SigAlg=rsa-sha256 oauth_version=1.0&oauth_signature_method=HMAC-SHA1 policy=cookie policy=privacy-2024 response=yes
request=quote s=shoes s=red+dress md5=what-is-it hub=chat sku=AB12-CD34-EF56 iphone=15pro model=x1c3b5 flight=LH454
seat=12a room=b2-104 isbn=9783161484100 phone=iphone

## encoded text: what people type, in other scripts too
q=forgot%20password q=access%20token%20expired q=caf%C3%A9+token q=secret%3A+a+novel q=what+is+otp%3F
name=Ren%C3%A9e&city=S%C3%A3o%20Paulo next=%2Fshop%3Fpage%3D2%26sort%3Dprice
redirect=https%3A%2F%2Fb.test%2Fa%3Fpass%3Dseason filter=%7B%22state%22%3A%22open%22%7D
filter=%7B%22pass%22%3A%22season%22%2C%22n%22%3A2%7D q=%E6%97%A5%E6%9C%AC%E8%AA%9E search=key+lime+pie+recipe+no2
query=password+manager+top10 text=reset%2Fverify+guide+v2b title=confirm/deny+a1b
`;

export interface SecretUrl {
  family: string;
  url: string;
  /** As the URL holds them, encoded or not. */
  secrets: readonly string[];
}

const urlOf = (text: string): string => {
  if (/^https?:/.test(text)) return text;
  const isPath = /^[#/]|^[\w/.-]+\?/.test(text);
  return `https://app.test/${isPath ? text.replace(/^\//, "") : `a?${text}`}`;
};

/** The entries of a list, each with its place in its family. */
const read = (list: string): (SecretUrl & { place: number })[] =>
  list
    .split("\n## ")
    .slice(1)
    .flatMap((block) => {
      const [family, ...lines] = block.split("\n") as [string, ...string[]];
      return lines
        .flatMap((line) => line.split(" "))
        .filter(Boolean)
        .map((text, place) => ({
          family,
          place,
          url: urlOf(text.replace(/[<>]/g, "")),
          secrets: [...text.matchAll(/<([^>]*)>/g)].map(([, secret]) => secret!),
        }));
    });

const [secret, harmless] = [read(SECRET), read(HARMLESS)];
const isHeldOut = ({ place }: { place: number }): boolean => place % 2 === 1;
const isTuned = (entry: { place: number }): boolean => !isHeldOut(entry);
const urls = (entries: SecretUrl[]): string[] => entries.map(({ url }) => url);

export const TUNED = {
  secret: [...read(TUNED_SECRET), ...secret.filter(isTuned)],
  harmless: urls([...read(TUNED_HARMLESS), ...harmless.filter(isTuned)]),
};
export const HELD_OUT = { secret: secret.filter(isHeldOut), harmless: urls(harmless.filter(isHeldOut)) };

const decodeAll = (text: string): string => {
  const decoded = unescape(text);
  return decoded === text ? text : decodeAll(decoded);
};

/** Does a text still tell a secret of the URL, however often it is encoded? */
export const tells = (text: string, { secrets }: SecretUrl): boolean =>
  secrets.some((secret) => decodeAll(text).includes(decodeAll(secret)));
